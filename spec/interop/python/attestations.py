"""Attestations of a run (spec/attestation.md)."""


def best_attestation(parts, payload, data, trust, now):
    return False
