// The AI SDK with its providers on upstreams of every dialect.
import { aiSdkClients } from "./clients/index.ts";
import { testMatrix } from "./matrix.ts";

testMatrix(aiSdkClients);
