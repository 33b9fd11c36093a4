// The tasks module: agents that work on threads, each with a queue of messages. The state of a task is in its thread's
// journal, so that every instance can serve it and continue it after a crash.
import type { Recorder } from "../record/types.ts";
import type { ServerModule, Services } from "../types.ts";
import { TaskAgents } from "./agents.ts";
import { TaskCommands } from "./commands.ts";
import { JournalCache } from "./journal.ts";
import { taskRoutes } from "./routes.ts";
import { TaskRunner } from "./runner.ts";

/** The agent records its own runs, so the call recorder is not used. */
export function tasksModule(services: Services, _recorder?: Recorder): ServerModule {
  const agents = new TaskAgents(services);
  const journals = new JournalCache();
  const runner = new TaskRunner({ services, journals, agents });
  return {
    routes: taskRoutes(services, new TaskCommands(services, journals, runner)),
    async start() {
      runner.start();
    },
    async stop() {
      await runner.stop();
      await agents.close();
    },
  };
}
