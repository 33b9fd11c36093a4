// What this dialect cannot say.
import { PROVIDER_LOSSES } from "../kit/provider-losses.ts";

export const LOSSES = {
  ...PROVIDER_LOSSES,
} as const;
export type Code = keyof typeof LOSSES;
