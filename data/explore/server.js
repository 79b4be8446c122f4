// server.js - questions to the server. The newest of a lane counts: an older one is given up.

const page = Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, "0")).join("");
const lanes = new Map();
let number = 0;

export class Refused extends Error {}

const LOST = "The server does not answer. Has mercury explore ended? Start it again for a new link.";

async function read(response) {
    if (response.ok) return response;
    const text = await response.text();
    let line = text.trim();
    try {
        line = JSON.parse(text).error;
    } catch {
        // it is the line itself
    }
    throw new Refused(line);
}

// The link's token works once: it is exchanged for a secret, which stays in the storage of this tab. That storage belongs
// to this address and port; a cookie would be sent to every server of this computer.
async function enter() {
    const token = new URLSearchParams(location.hash.slice(1)).get("token");
    if (!token) return;
    history.replaceState(null, "", location.pathname);
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const response = await fetch("api/admission", { method: "POST", headers, body: "{}" });
    if (!response.ok && sessionStorage.getItem("secret")) return; // this tab has followed the link before
    sessionStorage.setItem("secret", (await (await read(response)).json()).secret);
}

const entered = enter();
addEventListener("hashchange", () => location.reload()); // a link that is followed in this tab

async function request(what, options = {}) {
    await entered;
    const headers = { ...options.headers, Authorization: `Bearer ${sessionStorage.getItem("secret")}` };
    return fetch(`api/${what}`, { ...options, headers });
}

export async function getMachine() {
    return (await read(await request("machine"))).json();
}

export async function getChoices() {
    return (await read(await request("choices"))).json();
}

function post(what, set, more) {
    lanes.get(what)?.abort();
    const abort = new AbortController();
    lanes.set(what, abort);
    return request(what, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ page, number: ++number, set, ...more }),
        signal: abort.signal,
    });
}

// Ask about a machine: its changes are an object of texts. Gives undefined if a newer question took its place.
export async function ask(what, set, more = {}) {
    try {
        const response = await post(what, set, more);
        if (response.status === 409) {
            await response.text();
            return undefined;
        }
        const answer = await read(response);
        return what === "platform" ? await answer.blob() : await answer.json();
    } catch (fault) {
        if (fault.name === "AbortError") return undefined;
        if (fault instanceof Refused) throw fault;
        throw new Refused(LOST);
    }
}

// Have tokens made for a machine, and hear each line about them. They last as long as this does.
export async function makeTokens(set, hear) {
    try {
        const response = await read(await post("tokens", set, {}));
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        for (let rest = "", part = await reader.read(); !part.done; part = await reader.read()) {
            const lines = (rest + part.value).split("\n");
            rest = lines.pop();
            for (const line of lines) hear(JSON.parse(line));
        }
    } catch (fault) {
        if (fault.name === "AbortError") return;
        throw fault instanceof Refused ? fault : new Refused(LOST);
    }
}

export function dropTokens() {
    lanes.get("tokens")?.abort();
}
