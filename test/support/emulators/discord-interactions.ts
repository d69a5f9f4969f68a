/** Slash commands and button presses in the Discord emulator: callbacks, the original response, follow-ups. */
import { type Answer, refuse } from "./discord-http.ts";
import { applyEdit, ok, type RestDeps, type Route, storeOwn } from "./discord-rest.ts";
import { EPHEMERAL, type MessagePayload, type Person, type Stored, toUser, type WireChannel } from "./discord-world.ts";

export interface RegisteredCommand {
  name: string;
  description: string;
  type?: number;
  options?: { name: string; type: number; description: string; required?: boolean }[];
  default_member_permissions?: string | null;
  contexts?: number[];
}

/** One interaction and everything the bot answered to it. */
export interface Interaction {
  id: string;
  token: string;
  createdAt: number;
  /** Callback type: 4 message, 5 deferred message, 6 deferred update; undefined = not acknowledged. */
  callback: number | undefined;
  /** Milliseconds it took to acknowledge. Discord gives 3,000. */
  ackedAfter: number | undefined;
  ephemeral: boolean;
  /** The response message; undefined while "thinking" or after it was deleted. */
  original: Stored | undefined;
  originalDeleted: boolean;
  /** Extra messages, with what was sent. */
  followups: MessagePayload[];
}

export class Interactions {
  readonly #deps: RestDeps;
  readonly #byToken = new Map<string, { interaction: Interaction; channel: WireChannel }>();
  commands: RegisteredCommand[] = [];
  registrations = 0;

  constructor(deps: RestDeps) {
    this.#deps = deps;
  }

  open(type: 2 | 3, channel: WireChannel, user: Person, data: object, message?: object): Interaction {
    const { world } = this.#deps;
    const id = world.id();
    const interaction: Interaction = {
      id,
      token: `itoken-${id}`,
      createdAt: Date.now(),
      callback: undefined,
      ackedAfter: undefined,
      ephemeral: false,
      original: undefined,
      originalDeleted: false,
      followups: [],
    };
    this.#byToken.set(interaction.token, { interaction, channel });
    const member = { user: toUser(user), roles: user.roles, nick: user.nick ?? null, permissions: "0", flags: 0 };
    this.#deps.dispatch("INTERACTION_CREATE", {
      id,
      application_id: world.bot.id,
      type,
      data,
      token: interaction.token,
      version: 1,
      locale: "en-US",
      entitlements: [],
      authorizing_integration_owners: {},
      attachment_size_limit: 10_485_760,
      app_permissions: "0",
      channel_id: channel.id,
      channel,
      ...(channel.guild_id ? { guild_id: channel.guild_id, member, context: 0 } : { user: toUser(user), context: 1 }),
      ...(message ? { message } : {}),
    });
    return interaction;
  }

  routes(): Record<string, Route> {
    return {
      "PUT /applications/:id/commands": ({ body }) => {
        this.commands = body as RegisteredCommand[];
        this.registrations += 1;
        return ok(this.commands);
      },
      "POST /interactions/:id/:token/callback": ({ ids, body }) => this.#callback(ids, body as Callback),
      "POST /webhooks/:id/:token": ({ ids, body }) => this.#followup(ids[1], body as MessagePayload),
      "PATCH /webhooks/:id/:token/messages/:original": ({ ids, body }) => this.#edit(ids[1], body as MessagePayload),
      "DELETE /webhooks/:id/:token/messages/:original": ({ ids }) => this.#remove(ids[1]),
    };
  }

  #find(token = ""): { interaction: Interaction; channel: WireChannel } {
    return this.#byToken.get(token) ?? refuse(404, 10015, "Unknown Webhook");
  }

  #callback([id, token]: string[], { type, data = {} }: Callback): Answer {
    const { interaction, channel } = this.#find(token);
    const late = Date.now() - interaction.createdAt > 3000;
    if (interaction.id !== id || late) refuse(404, 10062, "Unknown interaction");
    if (interaction.callback !== undefined) refuse(400, 40060, "Interaction has already been acknowledged.");
    interaction.callback = type;
    interaction.ackedAfter = Date.now() - interaction.createdAt;
    interaction.ephemeral = ((data.flags ?? 0) & EPHEMERAL) !== 0;
    if (type === 4) interaction.original = storeOwn(this.#deps, channel, data, []);
    return { status: 204 };
  }

  #followup(token: string | undefined, payload: MessagePayload): Answer {
    const { interaction } = this.#find(token);
    if (interaction.callback === undefined) refuse(404, 10015, "Unknown Webhook");
    interaction.followups.push(payload);
    return ok({ id: this.#deps.world.id(), ...payload });
  }

  #edit(token: string | undefined, payload: MessagePayload): Answer {
    const { interaction, channel } = this.#find(token);
    if (interaction.callback !== 5 && interaction.callback !== 4) refuse(404, 10015, "Unknown Webhook");
    if (interaction.originalDeleted) refuse(404, 10008, "Unknown Message");
    if (interaction.original) applyEdit(interaction.original, payload);
    else interaction.original = storeOwn(this.#deps, channel, payload, []);
    interaction.original.message.flags |= interaction.ephemeral ? EPHEMERAL : 0;
    return ok(interaction.original.message);
  }

  #remove(token: string | undefined): Answer {
    const { interaction } = this.#find(token);
    interaction.originalDeleted = true;
    if (interaction.original) this.#deps.world.stored.delete(interaction.original.message.id);
    interaction.original = undefined;
    return { status: 204 };
  }
}

interface Callback {
  type: number;
  data?: MessagePayload;
}
