// Declares the event types without content, the known fields of events, and the form that stores unknown fields.

/** The key of the form that stores the unknown fields of an answer's last event. */
export const EVENT_FORM = "event";

/** Event fields that are decoded, that identify an item, or that carry no information (`obfuscation`). */
export const EVENT_FIELDS: ReadonlySet<string> = new Set(
  (
    "type sequence_number item_id output_index content_index summary_index annotation_index command_index " +
    "delta logprobs obfuscation text refusal arguments input code diff part annotation item response"
  ).split(" "),
);

/**
 * Events about the progress of items, including image previews. They are ignored, because the finished item has all of
 * their content.
 */
const PROGRESS_EVENTS = new Set(
  (
    "response.content_part.done response.reasoning_summary_part.added response.reasoning_summary_part.done " +
    "response.audio.done response.audio.transcript.done response.output_text.annotation.done " +
    "response.compaction.compacting response.image_generation_call.partial_image " +
    "response.shell_call_command.added response.shell_call_command.delta response.shell_call_command.done " +
    "response.shell_call_output_content.delta response.shell_call_output_content.done " +
    "response.apply_patch_call_operation_diff.delta response.apply_patch_call_operation_diff.done keepalive ping"
  ).split(" "),
);

const PROGRESS_PATTERN =
  /^response\.(?:web_search_call|file_search_call|code_interpreter_call|image_generation_call|mcp_call|mcp_list_tools)\.(?:in_progress|searching|interpreting|generating|completed|failed)$/;

/** True if an event only reports progress, so that it can be ignored. */
export function isProgressEvent(type: string): boolean {
  return PROGRESS_EVENTS.has(type) || PROGRESS_PATTERN.test(type);
}
