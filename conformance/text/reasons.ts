/** Why a check of a restart has no verdict where the target has lost what its driver had made: how its reason begins. */
export const merchantLost = 'the merchant is not known any more after the restart';
