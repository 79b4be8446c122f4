// server.js - questions to the server. The newest of a lane counts: an older one is given up.

const page = Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, "0")).join("");
const lanes = new Map();
let number = 0;

export class Refused extends Error {}

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

// Ask about a machine: its changes are an object of texts. Gives undefined if a newer question took its place.
export async function ask(what, set, more = {}) {
    lanes.get(what)?.abort();
    const abort = new AbortController();
    lanes.set(what, abort);
    try {
        const response = await fetch(`api/${what}`, {
            method: "POST",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ page, number: ++number, set, ...more }),
            signal: abort.signal,
        });
        if (response.status === 409) {
            await response.text();
            return undefined;
        }
        const answer = await read(response);
        return what === "platform" ? await answer.blob() : await answer.json();
    } catch (fault) {
        if (fault.name === "AbortError") return undefined;
        if (fault instanceof Refused) throw fault;
        throw new Refused("The server does not answer. Has mercury explore ended? Start it again for a new link.");
    }
}
