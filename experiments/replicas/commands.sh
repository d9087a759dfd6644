# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

tdl run experiment=replicas replicas=1,2,4,8,16 hydra.sweep.dir=outputs/replicas/tc_4x6
tdl run experiment=replicas replicas=1,2,4,8,16 learner=td learner.td_lambda=0 alpha=0.4 hydra.sweep.dir=outputs/replicas/td_4x6
tdl run experiment=replicas tuples=8x6 episodes=50000 hydra.sweep.dir=outputs/replicas/tc_8x6
tdl run experiment=replicas replicas=1,2,4,8,16 tuples=8x6 episodes=50000 learner=td learner.td_lambda=0 alpha=0.4 hydra.sweep.dir=outputs/replicas/td_8x6
python -m experiments.tools.collect replicas outputs/replicas by=tuples,learner,replicas
python -m experiments.replicas.analyse outputs/replicas
tdl run experiment=replicas replicas=1 threads=2 hydra.sweep.dir=outputs/lock_free/tc
tdl run experiment=replicas replicas=1 threads=2 learner=td learner.td_lambda=0 alpha=0.4 hydra.sweep.dir=outputs/lock_free/td
python -m experiments.tools.collect replicas outputs/lock_free by=tuples,learner,threads into=outputs/lock_free    # lock_free.csv
