// address.js - the machine in the page's address, so that reload, Back, a second tab and a link that is sent keep it.
//
// #fifo.wmer=32&boards=2&keep=fifo.wmer%3D64: what is not as recorded, and the same of each machine that is kept.

const TOGETHER_MS = 1000; // steps of one slider within this time are one step of Back

let last = { name: undefined, at: 0 };

export function read() {
    const set = {},
        kept = [];
    for (const [name, value] of new URLSearchParams(location.hash.slice(1)))
        if (name === "keep") kept.push(Object.fromEntries(new URLSearchParams(value)));
        else if (name !== "token") set[name] = value;
    return { set, kept };
}

export function hashOf(set, kept = []) {
    const fields = new URLSearchParams(set);
    for (const machine of kept) fields.append("keep", new URLSearchParams(machine));
    const text = String(fields);
    return text ? `#${text}` : "";
}

// The address of what is shown now. name: of the slider that was moved, if one was
export function write(set, kept, name) {
    const hash = hashOf(set, kept);
    if (hash === location.hash) return;
    const now = performance.now(),
        same = name !== undefined && name === last.name && now - last.at < TOGETHER_MS;
    last = { name, at: now };
    history[same ? "replaceState" : "pushState"](null, "", location.pathname + hash);
}

// took: another address is there, by Back, Forward, a link or by hand
export function listen(took) {
    addEventListener("hashchange", () => {
        last = { name: undefined, at: 0 };
        took(read());
    });
}
