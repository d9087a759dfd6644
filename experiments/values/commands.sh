# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

tdl run experiment=values hydra.sweep.dir=outputs/values
tdl solve game=2584 size=2x3 hydra.run.dir=outputs/2584_2x3
tdl run experiment=values game=2584 size=2x3 tuples=2x3_full tuples.radix=14 learner.initial_value=0,1500 evaluate.episodes=0 evaluate.solution=outputs/2584_2x3 hydra.sweep.dir=outputs/values_2x3
python -m experiments.values.analyse outputs/values outputs/values_2x3
