# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

# milestone: 100,000 episodes. results.csv has seed 33 from its run of curve, branched before its small steps: the same bits
tdl run experiment=milestone hydra.sweep.dir=outputs/milestone
python -m experiments.tools.collect best_recipes/milestone outputs/milestone
tdl run experiment=best_parts learner.start=milestone seed='range(15,20)' 'learner.schedule=[1000:1.4]' budget.moves=160000000 evaluate.episodes=0 save.final=true hydra.sweep.dir=outputs/ends_base 'hydra.sweep.subdir=${seed}'
tdl run experiment=best_parts learner.start=milestone seed='range(15,20)' 'init=outputs/ends_base/${seed}' 'learner.schedule=[0:1.4]' budget.moves=40000000 hydra.sweep.dir=outputs/ends
tdl run experiment=best_parts learner.start=milestone seed='range(15,20)' 'init=outputs/ends_base/${seed}' 'learner.schedule=[0:0.7,50%:0.35]' budget.moves=40000000 hydra.sweep.dir=outputs/ends
tdl run experiment=best_parts learner.start=milestone seed='range(15,20)' 'init=outputs/ends_base/${seed}' 'learner.schedule=[0:0.35,50%:0.1]' budget.moves=40000000 hydra.sweep.dir=outputs/ends
tdl run experiment=best_parts learner.start=milestone seed='range(15,20)' 'init=outputs/ends_base/${seed}' init_accumulators=false 'learner.schedule=[0:0.7,50%:0.35]' budget.moves=40000000 hydra.sweep.dir=outputs/ends
python -m experiments.tools.collect best_recipes/milestone outputs/ends by=init_accumulators,learner.schedule into=outputs/ends    # ends.csv here
# late_chains.csv: one below the other, for seeds 30 to 32: python -m experiments.tools.chains outputs/milestone/seed30_* into=FILE.csv
# middle.csv: seed 0 of experiment=milestone learner.start=restart block=1000 evaluate.episodes=1000, and seeds 20 to 22 of curve
# without_small.csv: experiment=milestone tuples=8x6_count learner.start=restart seed=0,1,2 block=1000 evaluate.episodes=1000

# restart: 300 seconds of one core
tdl run experiment=restart hydra.sweep.dir=outputs/restart
python -m experiments.tools.collect best_recipes/restart outputs/restart
tdl run experiment=restart tuples=8x6 learner.start=empty learner.schedule=null lanes=auto hydra.sweep.dir=outputs/restart_plain
python -m experiments.tools.collect best_recipes/restart outputs/restart_plain into=outputs/restart_plain    # plain.csv here
# peers.csv: five runs of TDL2048+, in turn with those of restart; its column command makes their logs: python -m experiments.tools.peers best_recipes/restart LOG ...
# tried.csv: tdl run learner=tc learner.td_lambda=0.5 budget.seconds=300 episodes=1000000 save.seconds=null seed=100 and the words in its column overrides
# other_machines.csv: the first command of restart on a slower machine
