// Who calls whom: which call a result answers when ids are missing or repeated on the wire (B17), and what the called
// tool's name is. Decoder and encoder keep the same book, so that both come to the same names.

export interface KnownCall {
  toolCallId: string;
  toolName: string;
}

interface Entry {
  message: number;
  calls: KnownCall[];
  answered: number;
}

export class CallBook {
  private readonly entries = new Map<string, Entry>();
  /** Ids that no made-up one may repeat. */
  private readonly taken: Set<string>;
  private readonly called = new Set<string>();

  constructor(taken: Iterable<string> = []) {
    this.taken = new Set(taken);
  }

  /** Notes a call under its id on the wire. An id that comes again in a later message means the later call. */
  note(wireId: string, message: number, call: KnownCall): void {
    const entry = this.entries.get(wireId);
    if (entry?.message === message) entry.calls.push(call);
    else this.entries.set(wireId, { message, calls: [call], answered: 0 });
  }

  /** The call that a result with this id answers: the first unanswered one, else the last. */
  answer(wireId: string): KnownCall | undefined {
    const entry = this.entries.get(wireId);
    return entry?.calls[Math.min(entry.answered++, entry.calls.length - 1)];
  }

  /** A unique id for a call: its own, if it has one that no other call has (B17). */
  claim(wireId: unknown, message: number, index: number): string {
    const own = typeof wireId === "string" && wireId !== "" && !this.called.has(wireId) ? wireId : undefined;
    const id = own ?? this.madeUp(`call_${message}_${index}`);
    this.called.add(id);
    return id;
  }

  private madeUp(base: string): string {
    let id = base;
    for (let attempt = 2; this.taken.has(id) || this.called.has(id); attempt++) id = `${base}_${attempt}`;
    return id;
  }
}
