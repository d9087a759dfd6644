# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

# gap: 2584 on 2x3: how near learning comes to optimal play
tdl solve game=2584 size=2x3 hydra.run.dir=outputs/2584_2x3
tdl run experiment=gap evaluate.solution=outputs/2584_2x3 hydra.sweep.dir=outputs/gap
tdl run experiment=gap evaluate.solution=outputs/2584_2x3 learner=td learner.initial_value=1500 learner.epsilon=0 episodes=1000000 hydra.sweep.dir=outputs/gap
python -m experiments.tools.collect gap outputs/gap by=learner,learner.initial_value,learner.epsilon,episodes

# gap_learners: What each learner leaves to optimal play on 2x3
tdl solve game=2584 size=2x3 hydra.run.dir=outputs/2584_2x3
tdl run experiment=gap_learners evaluate.solution=outputs/2584_2x3 hydra.sweep.dir=outputs/gap_learners
tdl solve size=2x3 hydra.run.dir=outputs/2048_2x3
tdl run experiment=gap_learners game=2048 tuples.radix=8 learner.initial_value=500 evaluate.solution=outputs/2048_2x3 hydra.sweep.dir=outputs/gap_learners
python -m experiments.tools.collect gap/gap_learners outputs/gap_learners by=learner,game,alpha
