# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

# milestone: The best recipe for 100,000 episodes
tdl run experiment=milestone hydra.sweep.dir=outputs/milestone
python -m experiments.tools.collect best_recipes/milestone outputs/milestone
python -m experiments.tools.collect best_recipes/milestone    # the figure here, of results.csv
tdl run experiment=best_parts learner.start=milestone seed='range(15,20)' 'learner.schedule=[1000:1.4]' budget.moves=160000000 evaluate.episodes=0 save.final=true hydra.sweep.dir=outputs/ends_base 'hydra.sweep.subdir=${seed}'
tdl run experiment=best_parts learner.start=milestone seed='range(15,20)' 'init=outputs/ends_base/${seed}' 'learner.schedule=[0:1.4]' budget.moves=40000000 hydra.sweep.dir=outputs/ends
tdl run experiment=best_parts learner.start=milestone seed='range(15,20)' 'init=outputs/ends_base/${seed}' 'learner.schedule=[0:0.7,50%:0.35]' budget.moves=40000000 hydra.sweep.dir=outputs/ends
tdl run experiment=best_parts learner.start=milestone seed='range(15,20)' 'init=outputs/ends_base/${seed}' 'learner.schedule=[0:0.35,50%:0.1]' budget.moves=40000000 hydra.sweep.dir=outputs/ends
tdl run experiment=best_parts learner.start=milestone seed='range(15,20)' 'init=outputs/ends_base/${seed}' init_accumulators=false 'learner.schedule=[0:0.7,50%:0.35]' budget.moves=40000000 hydra.sweep.dir=outputs/ends
python -m experiments.tools.collect best_recipes/milestone outputs/ends by=init_accumulators,learner.schedule into=outputs/ends    # ends.csv here
tdl run experiment=curve learner.start=milestone seed=100 learner.initial_value=40000,160000,320000 budget.moves=100000000 evaluate.episodes=2000 save.final=false hydra.sweep.dir=outputs/optimism
tdl run experiment=tc5_8x6 seed=100 episodes=10000000 learner.initial_value=0,320000 budget.moves=100000000 evaluate.episodes=2000 save.final=false hydra.sweep.dir=outputs/optimism
tdl run experiment=curve learner.start=milestone seed=33 learner.initial_value=40000,320000 budget.moves=1000000000 save.final=false hydra.sweep.dir=outputs/optimism_1G
tdl run experiment=tc5_8x6 learner=otd_tc learner.td_lambda=0.5 seed=33 episodes=300000 evaluate.episodes=10000 save.final=false hydra.sweep.dir=outputs/optimism_1G
tdl run experiment=tc5_8x6 learner=otd_tc learner.td_lambda=0.5 alpha=0.25 seed=33 episodes=500000 evaluate.episodes=10000 save.final=false hydra.sweep.dir=outputs/optimism_1G
python -m experiments.tools.collect best_recipes/milestone outputs/optimism outputs/optimism_1G by=tuples,learner.start,learner.fixed_share,alpha,learner.initial_value into=outputs/optimism    # its results.csv, cut, is optimism.csv here

# restart: The best recipe for 300 seconds of one core
tdl run experiment=restart hydra.sweep.dir=outputs/restart
python -m experiments.tools.collect best_recipes/restart outputs/restart
tdl run experiment=restart tuples=8x6 learner.start=empty learner.schedule=null lanes=auto hydra.sweep.dir=outputs/restart_plain
python -m experiments.tools.collect best_recipes/restart outputs/restart_plain into=outputs/restart_plain    # plain.csv here
