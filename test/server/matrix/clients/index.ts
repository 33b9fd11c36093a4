// All clients of the matrix.
import type { Client } from "../types.ts";
import { aiSdkClients } from "./ai-sdk.ts";
import { anthropicClient } from "./anthropic.ts";
import { genaiClient } from "./genai.ts";
import { chatClient } from "./openai-chat.ts";
import { responsesClient, storedResponsesClient } from "./openai-responses.ts";

export { aiSdkClients } from "./ai-sdk.ts";

/** The providers' own SDKs. */
export const officialClients: readonly Client[] = [
  chatClient,
  responsesClient,
  storedResponsesClient,
  anthropicClient,
  genaiClient,
];

export const CLIENTS: readonly Client[] = [...officialClients, ...aiSdkClients];
