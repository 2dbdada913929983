"""What only a GPU can show: ``make test-gpu`` runs it."""
