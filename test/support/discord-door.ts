/** A door that keeps what came through it. Not a mock: it stores, and refuses as often as it is told to. */
import type { Door, Edit, Inbound, Press } from "../../channels/channel.ts";

export class RecordingDoor implements Door {
  readonly inbound: Inbound[] = [];
  readonly edits: Edit[] = [];
  readonly presses: Press[] = [];
  /** How many of the next accepts fail, as with a store that is away. */
  failures = 0;
  tries = 0;
  answerToPress: string | undefined;
  onAccept: ((inbound: Inbound) => Promise<void>) | undefined;

  async accept(inbound: Inbound): Promise<void> {
    this.tries += 1;
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error("the store is away");
    }
    this.inbound.push(inbound);
    await this.onAccept?.(inbound);
  }

  async edited(edit: Edit): Promise<void> {
    this.edits.push(edit);
  }

  async press(press: Press): Promise<string | undefined> {
    this.presses.push(press);
    return this.answerToPress;
  }

  async migrated(): Promise<void> {}
}
