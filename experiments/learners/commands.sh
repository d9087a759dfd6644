# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

# learners: TD and TC, each at its own best step
tdl run experiment=learners hydra.sweep.dir=outputs/learners_tuning
tdl run experiment=learners learner=td alpha=0.7 hydra.sweep.dir=outputs/learners_tuning
tdl run experiment=learners learner=tc alpha=1.5 hydra.sweep.dir=outputs/learners_tuning
tdl run experiment=learners learner=td learner.td_lambda=0 alpha=0.5 seed='range(5,10)' hydra.sweep.dir=outputs/learners_judged
tdl run experiment=learners learner=td learner.td_lambda=0.5 alpha=0.25 seed='range(5,10)' hydra.sweep.dir=outputs/learners_judged
tdl run experiment=learners learner=tc alpha=1 seed='range(5,10)' hydra.sweep.dir=outputs/learners_judged
python -m experiments.tools.own_steps learners outputs/learners_tuning outputs/learners_judged

# learners_seconds: TD and TC with 20 seconds each
tdl run experiment=learners_seconds hydra.sweep.dir=outputs/learners_seconds_tuning
tdl run experiment=learners_seconds learner=td learner.td_lambda=0 alpha=0.25 seed='range(5,10)' hydra.sweep.dir=outputs/learners_seconds_judged
tdl run experiment=learners_seconds learner=tc learner.td_lambda=0 alpha=1 seed='range(5,10)' hydra.sweep.dir=outputs/learners_seconds_judged
tdl run experiment=learners_seconds learner=td learner.td_lambda=0.5 alpha=0.25 seed='range(5,10)' hydra.sweep.dir=outputs/learners_seconds_judged
tdl run experiment=learners_seconds learner=tc learner.td_lambda=0.5 alpha=1 seed='range(5,10)' hydra.sweep.dir=outputs/learners_seconds_judged
python -m experiments.tools.own_steps learners/learners_seconds outputs/learners_seconds_tuning outputs/learners_seconds_judged
tdl run experiment=learners_seconds learner=otd_tc episodes=80000 budget.seconds=null hydra.sweep.dir=outputs/learners_seconds_optimistic
python -m experiments.tools.collect learners/learners_seconds outputs/learners_seconds_optimistic by=learner.td_lambda,alpha into=outputs/learners_seconds_optimistic    # optimistic_tuning.csv here
tdl run experiment=learners_seconds learner=otd_tc learner.td_lambda=0 alpha=0.5 seed='range(5,10)' episodes=80000 budget.seconds=null hydra.sweep.dir=outputs/learners_seconds_optimistic_judged
tdl run experiment=learners_seconds learner=otd_tc learner.td_lambda=0.5 alpha=0.25 seed='range(5,10)' episodes=80000 budget.seconds=null hydra.sweep.dir=outputs/learners_seconds_optimistic_judged
python -m experiments.tools.collect learners/learners_seconds outputs/learners_seconds_optimistic_judged by=learner.td_lambda,alpha into=outputs/learners_seconds_optimistic_judged    # optimistic.csv here
