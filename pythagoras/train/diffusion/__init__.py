"""The diffusion prover: proofs in blocks, one after the other, each filled in where it is masked."""
