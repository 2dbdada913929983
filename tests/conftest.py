"""What all tests share."""

import os

# PyTorch's threads wait for each other on a busy machine; it is imported after this.
os.environ.setdefault("OMP_NUM_THREADS", "1")
