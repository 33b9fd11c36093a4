// The providers' own SDKs on upstreams of every dialect.
import { officialClients } from "./clients/index.ts";
import { testMatrix } from "./matrix.ts";

testMatrix(officialClients);
