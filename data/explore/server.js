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

// Another tab of this page has the secret: only pages of this address and port hear a channel.
const tabs = new BroadcastChannel("mercury explore");
const TABS_MS = 400;
let heard = () => {};

tabs.addEventListener("message", ({ data }) => {
    const secret = sessionStorage.getItem("secret");
    if (data.secret) heard(data.secret);
    else if (secret) tabs.postMessage({ secret });
});

async function askTabs() {
    const secret = await new Promise((done) => {
        heard = done;
        tabs.postMessage({});
        setTimeout(done, TABS_MS);
    });
    if (secret) sessionStorage.setItem("secret", secret);
}

// The link's token works once: it is exchanged for a secret, which stays in the storage of this tab. That storage belongs
// to this address and port; a cookie would be sent to every server of this computer. The rest of the address is a machine.
async function enter() {
    const fields = new URLSearchParams(location.hash.slice(1)),
        token = fields.get("token");
    fields.delete("token");
    if (!token && !sessionStorage.getItem("secret")) await askTabs();
    if (!token) return;
    history.replaceState(null, "", location.pathname + (fields.size ? `#${fields}` : ""));
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const response = await fetch("api/admission", { method: "POST", headers, body: "{}" });
    if (!response.ok && !sessionStorage.getItem("secret")) await askTabs();
    if (!response.ok && sessionStorage.getItem("secret")) return; // this tab or another has followed the link before
    sessionStorage.setItem("secret", (await (await read(response)).json()).secret);
}

const entered = enter();
addEventListener("hashchange", () => {
    if (new URLSearchParams(location.hash.slice(1)).has("token")) location.reload(); // a link that is followed in this tab
});

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

// Questions of another name have lanes of their own, as another page's would.
function post(what, set, { lane = "", ...more }) {
    lanes.get(what + lane)?.abort();
    const abort = new AbortController();
    lanes.set(what + lane, abort);
    return request(what, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ page: page + lane, number: ++number, set, ...more }),
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
        if (answer.headers.get("Content-Type") === "application/xml") return await answer.blob();
        const told = await answer.json();
        if (told.error) throw new Refused(told.error); // a value that cannot be is an answer, too
        return told;
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
        let rest = "";
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
            const lines = (rest + part.value).split("\n");
            rest = lines.pop();
            for (const line of lines) hear(JSON.parse(line));
        }
        if (rest) hear(JSON.parse(rest)); // one that was refused at once
    } catch (fault) {
        if (fault.name === "AbortError") return;
        throw fault instanceof Refused ? fault : new Refused(LOST);
    }
}

export function dropTokens() {
    drop("tokens");
}

export function drop(lane) {
    lanes.get(lane)?.abort();
}
