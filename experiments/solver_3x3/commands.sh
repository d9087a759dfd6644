# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

tdl solve size=3x3 fold=true
tdl solve size=3x3 fold=true objective=reach tile=1024
tdl solve size=3x3 fold=true objective=reach tile=512
