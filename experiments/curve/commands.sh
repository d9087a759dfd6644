# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

tdl run experiment=curve budget.moves=1000000 hydra.sweep.dir=outputs/curve/1M
tdl run experiment=curve budget.moves=10000000 hydra.sweep.dir=outputs/curve/10M
tdl run experiment=curve hydra.mode=RUN seed=20 budget.moves=2000000000 'save.moves=[80000000,240000000,800000000,1600000000]' out=outputs/curve/2G
python -m experiments.tools.branch outputs/curve/2G 7000 outputs/curve/100M
tdl run resume=outputs/curve/100M budget.moves=100000000
python -m experiments.tools.branch outputs/curve/2G 14600 outputs/curve/300M
tdl run resume=outputs/curve/300M budget.moves=300000000
python -m experiments.tools.branch outputs/curve/2G 39200 outputs/curve/1G
tdl run resume=outputs/curve/1G budget.moves=1000000000
tdl run experiment=curve hydra.mode=RUN seed=21 budget.moves=2000000000 'save.moves=[80000000,240000000,800000000,1600000000]' out=outputs/curve/2G_21
python -m experiments.tools.branch outputs/curve/2G_21 8600 outputs/curve/100M_21
tdl run resume=outputs/curve/100M_21 budget.moves=100000000
python -m experiments.tools.branch outputs/curve/2G_21 45000 outputs/curve/1G_21
tdl run resume=outputs/curve/1G_21 budget.moves=1000000000
tdl run experiment=curve hydra.mode=RUN seed=22 budget.moves=100000000 out=outputs/curve/100M_22
tdl run experiment=curve hydra.mode=RUN seed=22 budget.moves=2000000000 'save.moves=[240000000,800000000]' out=outputs/curve/2G_22
python -m experiments.tools.branch outputs/curve/2G_22 16000 outputs/curve/300M_22
tdl run resume=outputs/curve/300M_22 budget.moves=300000000
python -m experiments.tools.branch outputs/curve/2G_22 41600 outputs/curve/1G_22
tdl run resume=outputs/curve/1G_22 budget.moves=1000000000
tdl run experiment=curve seed=21,23,24 budget.moves=300000000 save.final=false hydra.sweep.dir=outputs/curve/300M_21_23_24
tdl run experiment=curve seed=23,24 budget.moves=100000000 learner.start=restart,milestone hydra.sweep.dir=outputs/curve/100M_23_24
tdl run experiment=curve hydra.mode=RUN seed=20 learner.start=milestone budget.moves=1000000000 'save.moves=[80000000,240000000,800000000]' out=outputs/curve/milestones_20
python -m experiments.tools.branch outputs/curve/milestones_20 7600 outputs/curve/milestones_100M_20
tdl run resume=outputs/curve/milestones_100M_20 budget.moves=100000000 evaluate.episodes=2000
python -m experiments.tools.branch outputs/curve/milestones_20 17000 outputs/curve/milestones_300M_20
tdl run resume=outputs/curve/milestones_300M_20 budget.moves=300000000 evaluate.episodes=3000
tdl run experiment=curve hydra.mode=RUN seed=21 learner.start=milestone budget.moves=2000000000 'save.moves=[80000000,240000000,800000000,1600000000]' out=outputs/curve/milestones_2G_21
python -m experiments.tools.branch outputs/curve/milestones_2G_21 7400 outputs/curve/milestones_100M_21
tdl run resume=outputs/curve/milestones_100M_21 budget.moves=100000000 evaluate.episodes=2000
python -m experiments.tools.branch outputs/curve/milestones_2G_21 16800 outputs/curve/milestones_300M_21
tdl run resume=outputs/curve/milestones_300M_21 budget.moves=300000000 evaluate.episodes=3000
python -m experiments.tools.branch outputs/curve/milestones_2G_21 48400 outputs/curve/milestones_1G_21
tdl run resume=outputs/curve/milestones_1G_21 budget.moves=1000000000
tdl run experiment=curve hydra.mode=RUN seed=22 learner.start=milestone budget.moves=100000000 evaluate.episodes=2000 out=outputs/curve/milestones_100M_22
tdl run experiment=curve hydra.mode=RUN seed=22 learner.start=milestone budget.moves=300000000 evaluate.episodes=3000 out=outputs/curve/milestones_300M_22
tdl run experiment=curve seed='range(30,33)' learner.start=milestone budget.moves=3000000000 hydra.sweep.dir=outputs/curve/milestones_3G
tdl run experiment=curve hydra.mode=RUN seed=33 learner.start=milestone budget.moves=10000000000 'save.moves=[80000000,240000000,800000000,1600000000,2400000000]' out=outputs/curve/milestones_10G_33
python -m experiments.tools.branch outputs/curve/milestones_10G_33 7200 outputs/curve/milestones_100M_33
tdl run resume=outputs/curve/milestones_100M_33 budget.moves=100000000
python -m experiments.tools.branch outputs/curve/milestones_10G_33 16600 outputs/curve/milestones_300M_33
tdl run resume=outputs/curve/milestones_300M_33 budget.moves=300000000
python -m experiments.tools.branch outputs/curve/milestones_10G_33 47400 outputs/curve/milestones_1G_33
tdl run resume=outputs/curve/milestones_1G_33 budget.moves=1000000000
python -m experiments.tools.branch outputs/curve/milestones_10G_33 79800 outputs/curve/milestones_2G_33
tdl run resume=outputs/curve/milestones_2G_33 budget.moves=2000000000
python -m experiments.tools.branch outputs/curve/milestones_10G_33 109600 outputs/curve/milestones_3G_33
tdl run resume=outputs/curve/milestones_3G_33 budget.moves=3000000000
tdl run experiment=curve hydra.mode=RUN seed=34 learner.start=milestone budget.moves=10000000000 'save.moves=[80000000,240000000,800000000,1600000000,2400000000]' out=outputs/curve/milestones_10G_34
python -m experiments.tools.branch outputs/curve/milestones_10G_34 7800 outputs/curve/milestones_100M_34
tdl run resume=outputs/curve/milestones_100M_34 budget.moves=100000000
python -m experiments.tools.branch outputs/curve/milestones_10G_34 17400 outputs/curve/milestones_300M_34
tdl run resume=outputs/curve/milestones_300M_34 budget.moves=300000000
python -m experiments.tools.branch outputs/curve/milestones_10G_34 50400 outputs/curve/milestones_1G_34
tdl run resume=outputs/curve/milestones_1G_34 budget.moves=1000000000
python -m experiments.tools.branch outputs/curve/milestones_10G_34 96800 outputs/curve/milestones_2G_34
tdl run resume=outputs/curve/milestones_2G_34 budget.moves=2000000000
python -m experiments.tools.branch outputs/curve/milestones_10G_34 143000 outputs/curve/milestones_3G_34
tdl run resume=outputs/curve/milestones_3G_34 budget.moves=3000000000
tdl run experiment=curve hydra.mode=RUN seed=35 learner.start=milestone budget.moves=2000000000 'save.moves=[80000000,240000000,800000000,1600000000]' out=outputs/curve/milestones_2G_35
python -m experiments.tools.branch outputs/curve/milestones_2G_35 7400 outputs/curve/milestones_100M_35
tdl run resume=outputs/curve/milestones_100M_35 budget.moves=100000000
python -m experiments.tools.branch outputs/curve/milestones_2G_35 16800 outputs/curve/milestones_300M_35
tdl run resume=outputs/curve/milestones_300M_35 budget.moves=300000000
python -m experiments.tools.branch outputs/curve/milestones_2G_35 48400 outputs/curve/milestones_1G_35
tdl run resume=outputs/curve/milestones_1G_35 budget.moves=1000000000
python -m experiments.tools.branch outputs/curve/milestones_2G_35 81600 outputs/curve/milestones_3G_35
tdl run resume=outputs/curve/milestones_3G_35 budget.moves=3000000000 evaluate.episodes=0
tdl run experiment=tc5_8x6 hydra.mode=RUN seed=20 episodes=10000000 budget.moves=2000000000 'save.moves=[500000000,1000000000]' evaluate.episodes=0 out=outputs/curve_plain
tdl run experiment=tc5_8x6 hydra.mode=RUN seed=21 episodes=10000000 budget.moves=2000000000 'save.moves=[1000000000]' evaluate.episodes=10000 out=outputs/curve/plain_2G_21
tdl run experiment=tc5_8x6 hydra.mode=RUN seed=22 episodes=10000000 budget.moves=2000000000 'save.moves=[1000000000]' evaluate.episodes=10000 out=outputs/curve/plain_2G_22
tdl run experiment=tc5_8x6 seed='range(21,25)' episodes=10000000 budget.moves=500000000 evaluate.episodes=10000 hydra.sweep.dir=outputs/curve/plain_500M
tdl evaluate -m checkpoint=outputs/curve/plain_2G_21/kept/0000175000,outputs/curve/plain_2G_22/kept/0000154000 evaluate.episodes=10000 hydra.sweep.dir=outputs/curve/plain_1G
tdl evaluate -m checkpoint=outputs/curve_plain/kept/0000094000,outputs/curve_plain/kept/0000163000,outputs/curve_plain evaluate.episodes=10000 hydra.sweep.dir=outputs/curve/plain
python -m experiments.tools.curve curve outputs/curve
python -m experiments.curve.analyse
python -m experiments.tools.training_means outputs/curve/milestones_10G_33 outputs/curve/milestones_2G_35 every=50000000 since=540000000 until=1200000000 into=experiments/curve/begin.csv
python -m experiments.tools.training_means outputs/curve/milestones_10G_34 every=250000000 since=6700000000 until=10000000000 into=experiments/curve/begin_34.csv
# Rows with 3 plies, of seeds 33 to 35: tdl evaluate FOLDER evaluate.plies=3 evaluate.episodes=1000, with FOLDER one of those above, before the curve command.
# Their networks of 1 and 10 million moves: tdl run experiment=curve hydra.mode=RUN seed=33 learner.start=milestone budget.moves=1000000 out=FOLDER
# searched.csv: tdl evaluate outputs/curve/milestones_2G_21 search.downgrade=13 evaluate.plies=2 evaluate.episodes=1000, and evaluate.plies=3 evaluate.episodes=100
# peers.csv: one run of TDL2048+; its column command makes the log: python -m experiments.tools.peers curve LOG until=95000 into=FOLDER, likewise until 165000, 285000 and 395000, one below the other
