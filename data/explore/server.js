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

export async function getMachine() {
    return (await read(await fetch("api/machine"))).json();
}

export async function getChoices() {
    return (await read(await fetch("api/choices"))).json();
}

function post(what, set, more) {
    lanes.get(what)?.abort();
    const abort = new AbortController();
    lanes.set(what, abort);
    return fetch(`api/${what}`, {
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
