# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

tdl run experiment=batch tuples=4x6,8x6 budget.moves=1000000 hydra.sweep.dir=outputs/batch/1M
tdl run experiment=batch tuples=4x6,8x6 budget.moves=10000000 hydra.sweep.dir=outputs/batch/10M
tdl run experiment=batch tuples=4x6,8x6 budget.moves=30000000 hydra.sweep.dir=outputs/batch/30M
tdl run experiment=batch tuples=4x6,8x6 hydra.sweep.dir=outputs/batch/100M
tdl run experiment=batch learner=delayed_tc learner.order=delayed,backward learner.batch_sum=none lanes=auto episodes=10000000 block=100 tuples=4x6,8x6 budget.moves=1000000 hydra.sweep.dir=outputs/batch/plain_1M
tdl run experiment=batch learner=delayed_tc learner.order=delayed,backward learner.batch_sum=none lanes=auto episodes=10000000 block=100 tuples=4x6,8x6 budget.moves=10000000 hydra.sweep.dir=outputs/batch/plain_10M
tdl run experiment=batch learner=delayed_tc learner.order=delayed,backward learner.batch_sum=none lanes=auto episodes=10000000 block=100 tuples=4x6,8x6 budget.moves=30000000 hydra.sweep.dir=outputs/batch/plain_30M
tdl run experiment=batch learner=delayed_tc learner.order=delayed,backward learner.batch_sum=none lanes=auto episodes=10000000 block=100 tuples=4x6,8x6 hydra.sweep.dir=outputs/batch/plain_100M
tdl run experiment=batch alpha=1,1.4 learner.batch_sum=mean lanes=4096 budget.moves=80000000 hydra.sweep.dir=outputs/batch/80M
tdl run experiment=batch learner=delayed_tc alpha=1,1.4 learner.batch_sum=none lanes=auto episodes=10000000 block=100 budget.moves=80000000 hydra.sweep.dir=outputs/batch/plain_80M
python -m experiments.tools.collect batch outputs/batch by=tuples,learner.order,learner.batch_sum,lanes,alpha,budget.moves
