"""Settings that must be made before anything is imported."""

import os

# Lets scikit-learn run its check of array API input instead of skipping it.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
