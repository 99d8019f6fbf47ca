"""What a run costs in core hours, reckoned from the benchmark files of one that was made.

python benchmarks/cost.py results --seeds 1000
python benchmarks/cost.py results --seeds 1 --points 500      # a sweep of 500 configs
"""

import argparse
import sys

from neuralese.errors import NeuraleseError
from neuralese.report.cost import core_hours, read_benchmarks

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="the folder with the results of a run")
    parser.add_argument("--seeds", type=int, default=1, help="seeds of the run that is planned")
    parser.add_argument("--points", type=int, default=0, help="points of the sweep that is planned")
    given = parser.parse_args()
    try:
        stages = read_benchmarks(given.results)
    except NeuraleseError as error:
        sys.exit(str(error))
    print(stages.to_string(index=False, float_format="{:.0f}".format))
    print(f"\ncore hours; {given.seeds:,} seeds, {given.points:,} points of a sweep")
    print(core_hours(stages, given.seeds, given.points).to_string(float_format="{:,.2f}".format))
