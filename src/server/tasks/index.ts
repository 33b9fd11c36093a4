// Creates the tasks module, which runs agents in threads. A task is a thread with a queue of messages. The state of a
// task is stored in the journal of its thread, so that every instance can serve the task and continue it after a crash.
import type { Recorder } from "../record/types.ts";
import type { ServerModule, Services } from "../types.ts";
import { TaskAgents } from "./agents.ts";
import { TaskCommands } from "./commands.ts";
import { JournalCache } from "./journal.ts";
import { taskRoutes } from "./routes.ts";
import { TaskRunner } from "./runner.ts";

/**
 * Creates the routes and the runner of tasks. The recorder is not used, because agents record their runs themselves.
 */
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
