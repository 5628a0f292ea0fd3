"""Who takes part: persona files and the bundled cast. Reads files at start-up, nothing else."""
