"""Many runs: their launchers, and the folder and table they share."""
