# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

tdl run experiment=racing hydra.sweep.dir=outputs/racing_grid
python -m experiments.tools.collect racing outputs/racing_grid by=learner,alpha
tdl run experiment=racing race.on=true hydra.sweep.dir=outputs/racing
python -m experiments.tools.collect racing outputs/racing by=learner,alpha into=outputs/racing    # race.csv here
tdl run experiment=racing race.on=true seed='range(10,20)' hydra.sweep.dir=outputs/racing_again
python -m experiments.tools.collect racing outputs/racing_again by=learner,alpha into=outputs/racing_again    # again.csv here
python -m experiments.racing.simulate
tdl run experiment=learners hydra.sweep.dir=outputs/learners
python -m experiments.racing.rungs outputs/learners outputs/racing_grid
python -m experiments.tools.figures racing
