// Tasks: an agent at work on a thread, with a queue of what is said to it meanwhile. What it is at is written in the
// thread's own journal, so that any instance can answer for it, and another one goes on where a process ended.
import type { Recorder } from "../record/types.ts";
import type { ServerModule, Services } from "../types.ts";
import { Agents } from "./agents.ts";
import { Commands } from "./commands.ts";
import { Journals } from "./journal.ts";
import { taskRoutes } from "./routes.ts";
import { Runner } from "./runner.ts";

/** The agent records its own work: the recorder of calls has no part in it. */
export function tasksModule(services: Services, _recorder?: Recorder): ServerModule {
  const agents = new Agents(services);
  const journals = new Journals();
  const runner = new Runner({ services, journals, agents });
  return {
    routes: taskRoutes(services, new Commands(services, journals, runner)),
    async start() {
      runner.start();
    },
    async stop() {
      await runner.stop();
      await agents.close();
    },
  };
}
