// The gateway: the endpoints of every provider's protocol, in front of every provider.
import type { Recorder } from "../record/types.ts";
import type { Part, Services } from "../types.ts";

export function gatewayPart(_services: Services, _recorder: Recorder): Part {
  return { routes: [] };
}
