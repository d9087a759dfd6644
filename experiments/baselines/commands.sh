# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

tdl run -m experiment=baselines agent=random,greedy hydra.sweep.dir=outputs/moves/simple
tdl run -m experiment=baselines learner=td alpha=0.05,0.1,0.25,0.5,0.7,1 hydra.sweep.dir=outputs/moves_tuning
tdl run -m experiment=baselines learner=tc alpha=0.05,0.1,0.25,0.5,1 hydra.sweep.dir=outputs/moves_tuning
tdl run -m experiment=baselines learner=td learner.td_lambda=0.5 alpha=0.05,0.1,0.25,0.5,0.7,1 hydra.sweep.dir=outputs/moves_tuning
tdl run -m experiment=baselines learner=tc learner.td_lambda=0.5 alpha=0.05,0.1,0.25,0.5,1 hydra.sweep.dir=outputs/moves_tuning
python -m experiments.tools.collect baselines outputs/moves_tuning by=learner,learner.td_lambda,alpha into=outputs/moves_tuning    # tuning.csv here
tdl run -m experiment=baselines learner=td learner.td_lambda=0.5 alpha=0.5 seed='range(5,10)' hydra.sweep.dir=outputs/moves_lambda
tdl run -m experiment=baselines learner=tc learner.td_lambda=0.5 alpha=1 seed='range(5,10)' hydra.sweep.dir=outputs/moves_lambda
python -m experiments.tools.collect baselines outputs/moves_lambda by=learner,learner.td_lambda,alpha into=outputs/moves_lambda    # lambda.csv here
tdl run -m experiment=baselines learner=td,tc alpha=0.5 seed='range(5,10)' hydra.sweep.dir=outputs/moves/tables
tdl run -m experiment=baselines agent=dqn_modern block=64 hydra.sweep.dir=outputs/moves/modern
tdl run experiment=published_dqn hydra.sweep.dir=outputs/moves/published
tdl run -m experiment=baselines learner=td,tc alpha=0.05,0.1,0.25,0.5,1 block=1000 budget.moves=null budget.seconds=100 hydra.sweep.dir=outputs/seconds_tuning
python -m experiments.tools.collect baselines outputs/seconds_tuning by=learner,alpha into=outputs/seconds_tuning    # seconds_tuning.csv here
tdl run -m experiment=baselines learner=td alpha=0.1 block=1000 budget.moves=null budget.seconds=100 seed='range(5,10)' hydra.sweep.dir=outputs/seconds/td
tdl run -m experiment=baselines learner=tc alpha=1 block=1000 budget.moves=null budget.seconds=100 seed='range(5,10)' hydra.sweep.dir=outputs/seconds/tc
tdl run -m experiment=baselines agent=dqn_modern block=64 budget.moves=null budget.seconds=100 hydra.sweep.dir=outputs/seconds/modern
tdl run -m experiment=baselines agent=dqn agent.precision=bfloat16 budget.moves=null budget.seconds=100 hydra.sweep.dir=outputs/seconds/published
python -m experiments.baselines.analyse outputs/moves outputs/seconds
