# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

# adversary: 2584 against an adversary
tdl run experiment=adversary hydra.sweep.dir=outputs/adversary
tdl run experiment=adversary placer=random placer.first_empty=false hydra.sweep.dir=outputs/adversary
python -m experiments.tools.collect fib_adversary/adversary outputs/adversary

# fib_adversary_plies2: 2584 against the published adversary, two plies deep
tdl run experiment=fib_adversary_plies2 seed='range(0,3)' evaluate.episodes=0 save.final=false hydra.sweep.dir=outputs/fib_adversary_plies2
tdl run experiment=fib_adversary_plies2 seed='range(0,5)' alpha_per=entry alpha=0.0025 evaluate.episodes=0 hydra.sweep.dir=outputs/fib_adversary_plies2_step
tdl run experiment=fib_adversary_plies2 seed='range(0,3)' evaluate.episodes=0 save.final=false search.against=random hydra.sweep.dir=outputs/fib_adversary_plies2_search
tdl run experiment=fib_adversary_plies2 episodes=10000 seed=3,4 evaluate.episodes=0 search.against=random hydra.sweep.dir=outputs/fib_adversary_plies2_10k_search
tdl run experiment=fib_adversary_plies2 seed='range(0,3)' evaluate.episodes=0 search.against=random alpha_per=entry alpha=0.0025 hydra.sweep.dir=outputs/fib_adversary_plies2_both
tdl run experiment=fib_adversary_plies2 seed='range(0,3)' evaluate.episodes=0 search.against=random alpha_per=entry alpha=0.0025 tuples.share=false save.final=false hydra.launcher.cores=1 hydra.sweep.dir=outputs/fib_unshared_plies2
python -m experiments.tools.collect fib_adversary/fib_adversary_plies2 outputs/fib_adversary_plies2 outputs/fib_adversary_plies2_step outputs/fib_adversary_plies2_search outputs/fib_adversary_plies2_10k_search outputs/fib_adversary_plies2_both outputs/fib_unshared_plies2 by=search.against,alpha_per,tuples.share

# fib_plies: 2584 with a search of two plies
tdl run experiment=fib_plies hydra.sweep.dir=outputs/fib_plies
tdl run experiment=fib_plies placer=adversary placer.first_empty=true hydra.sweep.dir=outputs/fib_plies
python -m experiments.tools.collect fib_adversary/fib_plies outputs/fib_plies

# fib_unshared: 2584 with a table for each image
tdl run experiment=fib_unshared hydra.sweep.dir=outputs/fib_unshared
python -m experiments.tools.collect fib_adversary/fib_unshared outputs/fib_unshared by=tuples.share
