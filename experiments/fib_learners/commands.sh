# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

tdl run experiment=fib_learners hydra.sweep.dir=outputs/fib_learners_tuning
tdl run experiment=fib_learners learner=td alpha=0.05,0.25,0.5,0.7,1 hydra.sweep.dir=outputs/fib_learners_tuning
tdl run experiment=fib_learners learner=tc alpha=0.05,0.1,0.25,0.5 hydra.sweep.dir=outputs/fib_learners_tuning
tdl run experiment=fib_learners learner=td learner.td_lambda=0.5 alpha=0.05,0.1,0.25,0.5,0.7,1 hydra.sweep.dir=outputs/fib_learners_tuning
tdl run experiment=fib_learners learner=tc learner.td_lambda=0.5 alpha=0.05,0.1,0.25,0.5,1 hydra.sweep.dir=outputs/fib_learners_tuning
tdl run experiment=fib_learners tiles=p75_25 learner=td alpha=0.25 seed='range(5,10)' hydra.sweep.dir=outputs/fib_learners_judged
tdl run experiment=fib_learners tiles=p80_20,p90_10 learner=td alpha=0.5 seed='range(5,10)' hydra.sweep.dir=outputs/fib_learners_judged
tdl run experiment=fib_learners learner=td learner.td_lambda=0.5 alpha=0.25 seed='range(5,10)' hydra.sweep.dir=outputs/fib_learners_judged
tdl run experiment=fib_learners learner=tc learner.td_lambda=0,0.5 seed='range(5,10)' hydra.sweep.dir=outputs/fib_learners_judged
python -m experiments.tools.own_steps fib_learners outputs/fib_learners_tuning outputs/fib_learners_judged by=tiles,learner,learner.td_lambda
