# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

# results.csv, snapshots.csv, orders.csv and same.csv need a graphics card (15 minutes of an NVIDIA H200), so these are
# left out of `make experiments`. Seed 1 had `budget.seconds=330` in place of `episodes=10000` and played 538 iterations.
#     tdl run experiment=published_dqn hydra.mode=RUN device=cuda agent.precision=float32 seed=0 episodes=30000 out=outputs/dqn_card/0
#     tdl run experiment=published_dqn hydra.mode=RUN device=cuda agent.precision=float32 seed=1 episodes=10000 out=outputs/dqn_card/1
#     kept=$(printf 'outputs/dqn_card/0/kept/%010d,' $(seq 2000 2000 28000))outputs/dqn_card/0/checkpoint
#     tdl evaluate -m checkpoint=$kept hydra.sweep.dir=outputs/dqn_card_games/greedy
#     tdl evaluate -m checkpoint=$kept evaluate.plies=2 evaluate.drops=one hydra.sweep.dir=outputs/dqn_card_games/one
#     python -m experiments.published_dqn.analyse outputs/dqn_card outputs/dqn_card_games

# bfloat16.csv and bfloat16_snapshots.csv: on a processor, three hours of one core for 100 iterations. The last command
# writes them as results.csv and snapshots.csv. The evaluation over all drops was not finished.
tdl run experiment=published_dqn hydra.sweep.dir=outputs/published_dqn 'hydra.sweep.subdir=${seed}'
tdl run resume=outputs/published_dqn/0 episodes=6000
tdl evaluate -m checkpoint=outputs/published_dqn/0/kept/0000002000,outputs/published_dqn/0/kept/0000004000,outputs/published_dqn/0/checkpoint,outputs/published_dqn/1/checkpoint,outputs/published_dqn/2/checkpoint hydra.sweep.dir=outputs/published_dqn_games/greedy
tdl evaluate -m checkpoint=outputs/published_dqn/0/kept/0000002000,outputs/published_dqn/0/kept/0000004000,outputs/published_dqn/0/checkpoint,outputs/published_dqn/1/checkpoint,outputs/published_dqn/2/checkpoint evaluate.plies=2 evaluate.drops=one hydra.sweep.dir=outputs/published_dqn_games/one
tdl evaluate -m checkpoint=outputs/published_dqn/0/kept/0000002000,outputs/published_dqn/0/kept/0000004000,outputs/published_dqn/0/checkpoint,outputs/published_dqn/1/checkpoint,outputs/published_dqn/2/checkpoint evaluate.plies=2 evaluate.episodes=100 hydra.sweep.dir=outputs/published_dqn_games/all
python -m experiments.published_dqn.analyse outputs/published_dqn outputs/published_dqn_games into=outputs/published_dqn_games
