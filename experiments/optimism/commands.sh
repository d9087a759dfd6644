# Makes the csv file of this page: every command, in order. `make experiments` runs a fiftieth of it.

tdl run experiment=curve learner.start=milestone seed=100 learner.initial_value=40000,160000,320000 budget.moves=100000000 evaluate.episodes=2000 save.final=false hydra.sweep.dir=outputs/optimism
tdl run experiment=tc5_8x6 seed=100 episodes=10000000 learner.initial_value=0,320000 budget.moves=100000000 evaluate.episodes=2000 save.final=false hydra.sweep.dir=outputs/optimism
tdl run experiment=curve learner.start=milestone seed=33 learner.initial_value=40000,320000 budget.moves=1000000000 save.final=false hydra.sweep.dir=outputs/optimism_1G
tdl run experiment=tc5_8x6 learner=otd_tc learner.td_lambda=0.5 seed=33 episodes=300000 evaluate.episodes=10000 save.final=false hydra.sweep.dir=outputs/optimism_1G
tdl run experiment=tc5_8x6 learner=otd_tc learner.td_lambda=0.5 alpha=0.25 seed=33 episodes=500000 evaluate.episodes=10000 save.final=false hydra.sweep.dir=outputs/optimism_1G
python -m experiments.tools.collect optimism outputs/optimism outputs/optimism_1G by=tuples,learner.start,learner.fixed_share,alpha,learner.initial_value into=outputs/optimism    # its results.csv, cut, is optimism.csv
