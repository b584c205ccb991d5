"""Generation runs: rounds of expansions, candidates through the checks, progress, cost and funnel."""
