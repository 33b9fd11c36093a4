import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["koine-source"] },
  ssr: { resolve: { conditions: ["koine-source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    typecheck: { enabled: false },
    testTimeout: 60_000,
  },
});
