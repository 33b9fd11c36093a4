// The words of the streaming protocol that carry nothing of their own, and where unknown ones are kept.

/** A form of an answer: unknown fields of the event that ended it. */
export const EVENT = "event";

/** Fields of events that are read, that point at an item, or that are noise. */
export const EVENT_FIELDS: ReadonlySet<string> = new Set(
  (
    "type sequence_number item_id output_index content_index summary_index annotation_index command_index " +
    "delta logprobs obfuscation text refusal arguments input code diff part annotation item response"
  ).split(" "),
);

/** What happens to items on the way: the item says it all when it is done. Previews of images are among it. */
const STEPS = new Set(
  (
    "response.content_part.done response.reasoning_summary_part.added response.reasoning_summary_part.done " +
    "response.audio.done response.audio.transcript.done response.output_text.annotation.done " +
    "response.compaction.compacting response.image_generation_call.partial_image " +
    "response.shell_call_command.added response.shell_call_command.delta response.shell_call_command.done " +
    "response.shell_call_output_content.delta response.shell_call_output_content.done " +
    "response.apply_patch_call_operation_diff.delta response.apply_patch_call_operation_diff.done keepalive ping"
  ).split(" "),
);

const PROGRESS =
  /^response\.(?:web_search_call|file_search_call|code_interpreter_call|image_generation_call|mcp_call|mcp_list_tools)\.(?:in_progress|searching|interpreting|generating|completed|failed)$/;

/** Whether an event only tells how far something is. */
export function isBookkeeping(type: string): boolean {
  return STEPS.has(type) || PROGRESS.test(type);
}
