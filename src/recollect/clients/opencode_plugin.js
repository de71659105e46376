// Runs Recollect's hooks at the events of OpenCode; whatever goes wrong, OpenCode goes on.
import { spawn, spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";

const PYTHON = "{python}";
const HOOK = "{hook}";
const ASKS = "{asks}"; // whether some store has the agent asked: only then tool uses are counted
const LIMIT = 5000;
const DATA = process.env.XDG_DATA_HOME || join(homedir(), ".local", "share");
const SESSIONS = join(DATA, "opencode", "opencode.db");

const words = (event) => ["-I", "-S", HOOK, "opencode", event];

const notes = (said) => {
  try {
    return JSON.parse(said).hookSpecificOutput?.additionalContext ?? "";
  } catch {
    return "";
  }
};

// What a hook prints; nothing if it is late.
const heard = (event, payload) =>
  new Promise((done) => {
    try {
      const child = spawn(PYTHON, words(event), { stdio: ["pipe", "pipe", "ignore"], timeout: LIMIT });
      let said = "";
      child.stdout.on("data", (piece) => (said += piece));
      child.on("error", () => done(""));
      child.on("close", () => done(said));
      child.stdin.on("error", () => {});
      child.stdin.end(JSON.stringify(payload));
    } catch {
      done("");
    }
  });

export const Recollect = async ({ client, directory }) => {
  const sources = new Map(); // session → how it began, as long as its agent has no brief
  const begun = new Set();
  const children = new Map(); // session → whether another agent asked for it

  const about = (session, more = {}) => ({
    session_id: session,
    transcript_path: `${SESSIONS}#${session}`,
    cwd: directory,
    ...more,
  });

  const isChild = async (session) => {
    if (!children.has(session)) {
      const found = await client.session.get({ path: { id: session } }).catch(() => undefined);
      children.set(session, Boolean(found?.data?.parentID));
    }
    return children.get(session);
  };

  const source = (session) => {
    if (!begun.has(session)) return sources.get(session) ?? "resume";
    return sources.get(session) === "compact" ? "compact" : "";
  };

  return {
    event: async ({ event }) => {
      const session = event.properties?.sessionID ?? event.properties?.info?.id;
      if (event.type === "session.created") {
        sources.set(session, "startup");
        children.set(session, Boolean(event.properties.info?.parentID));
      } else if (event.type === "session.compacted") {
        sources.set(session, "compact");
      } else if (event.type === "session.idle" && begun.has(session)) {
        await heard("Stop", about(session));
      }
    },

    "chat.message": async ({ sessionID }, output) => {
      const said = output.parts.filter((part) => part.type === "text" && !part.synthetic);
      const last = output.parts[output.parts.length - 1];
      if (!last || (await isChild(sessionID))) return;
      const found = [];
      const how = source(sessionID);
      begun.add(sessionID);
      sources.delete(sessionID);
      if (how) found.push(notes(await heard("SessionStart", about(sessionID, { source: how }))));
      const prompt = said.map((part) => part.text).join("\n");
      found.push(notes(await heard("UserPromptSubmit", about(sessionID, { prompt }))));
      // A part of the message, so that it stays where it was said; parts are read in order of id.
      found.filter(Boolean).forEach((text, n) =>
        output.parts.push({
          id: `${last.id.slice(0, -2)}~${n}`,
          messageID: last.messageID,
          sessionID,
          type: "text",
          synthetic: true,
          text,
        }),
      );
    },

    "tool.execute.after": async ({ tool, sessionID, args }, output) => {
      const code = tool === "bash" && output.metadata?.exit;
      if (!begun.has(sessionID) || !(code || ASKS)) return;
      const payload = about(sessionID, { tool_name: tool, tool_input: args });
      const text = notes(
        code
          ? await heard("PostToolUseFailure", { ...payload, error: `Exit code ${code}\n${output.output ?? ""}` })
          : await heard("PostToolUse", payload),
      );
      if (text) output.output = `${output.output ?? ""}\n${text}`;
    },

    "experimental.session.compacting": async ({ sessionID }, output) => {
      const text = await heard("PreCompact", about(sessionID, { trigger: "auto" }));
      if (text) output.context.push(text);
    },

    // OpenCode does not wait for anything here.
    dispose: async () => {
      for (const session of begun) {
        const input = JSON.stringify(about(session, { reason: "exit" }));
        spawnSync(PYTHON, words("SessionEnd"), { input, timeout: LIMIT, stdio: ["pipe", "ignore", "ignore"] });
      }
    },
  };
};
