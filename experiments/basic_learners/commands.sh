# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

# tc0_4x6: TC(0), 4x6, alpha 1
tdl run experiment=tc0_4x6 hydra.sweep.dir=outputs/tc0_4x6
python -m experiments.tools.collect basic_learners/tc0_4x6 outputs/tc0_4x6

# tc5_4x6: TC(.5), 4x6
tdl run experiment=tc5_4x6 hydra.sweep.dir=outputs/tc5_4x6
python -m experiments.tools.collect basic_learners/tc5_4x6 outputs/tc5_4x6

# tc5_4x6_long: TC(.5), 4x6, a million games
tdl run experiment=tc5_4x6_long hydra.sweep.dir=outputs/tc5_4x6_long
python -m experiments.tools.collect basic_learners/tc5_4x6_long outputs/tc5_4x6_long
python -m experiments.basic_learners.analyse tc5_4x6_long outputs/tc5_4x6_long

# tc5_8x6: TC(.5), 8x6, alpha 1
tdl run experiment=tc5_8x6 hydra.sweep.dir=outputs/tc5_8x6
python -m experiments.tools.collect basic_learners/tc5_8x6 outputs/tc5_8x6
python -m experiments.basic_learners.analyse tc5_8x6 outputs/tc5_8x6

# td0_4x6: TD(0) on afterstates, 4x6, alpha .1
tdl run experiment=td0_4x6 hydra.sweep.dir=outputs/td0_4x6
python -m experiments.tools.collect basic_learners/td0_4x6 outputs/td0_4x6

# td5_4x6: TD(.5), 4x6, alpha .1
tdl run experiment=td5_4x6 hydra.sweep.dir=outputs/td5_4x6
python -m experiments.tools.collect basic_learners/td5_4x6 outputs/td5_4x6
