/** The parts of Discord's gateway events that we read, as they come over the wire. */

export interface RawUser {
  id: string;
  username?: string;
  global_name?: string | null;
  bot?: boolean;
}

export interface RawMember {
  nick?: string | null;
  roles?: string[];
}

export interface RawMention extends RawUser {
  member?: RawMember;
}

export interface RawAttachment {
  id: string;
  filename: string;
  size: number;
  url: string;
  content_type?: string;
}

export interface RawComponent {
  type: number;
  content?: string;
  components?: RawComponent[];
}

/** What a message, a quoted message and a forwarded one have in common. */
export interface RawBody {
  content?: string;
  mentions?: RawMention[];
  attachments?: RawAttachment[];
  components?: RawComponent[];
}

export interface RawMessage extends RawBody {
  id: string;
  channel_id: string;
  guild_id?: string | null;
  type?: number;
  author: RawUser;
  webhook_id?: string;
  member?: RawMember;
  mention_roles?: string[];
  timestamp: string;
  edited_timestamp?: string | null;
  message_reference?: { message_id?: string };
  referenced_message?: (RawBody & { author: RawUser }) | null;
  message_snapshots?: { message: RawBody }[];
}

export interface RawChannel {
  id: string;
  type: number;
  parent_id?: string | null;
}

export interface RawInteraction {
  id: string;
  token: string;
  application_id: string;
  type: number;
  channel_id?: string;
  channel?: RawChannel;
  guild_id?: string;
  member?: RawMember & { user: RawUser };
  user?: RawUser;
  message?: { id: string };
  data?: { name?: string; custom_id?: string; options?: { name: string; value?: unknown }[] };
}
