"""Style, script and frame of the HTML report, in one file that needs no network.

A content security policy allows this style and script by their hashes, and pictures embedded in
the page. Nothing else can run, whatever the names of objects contain.
"""

from base64 import b64encode
from hashlib import sha256
from html import escape

STYLE = """
:root { color-scheme: light dark; --line: #8884; --quiet: #8882; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; padding: 0 1rem; }
body { max-width: 75rem; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
.about { max-width: 50rem; margin: 0 0 .75rem; overflow-wrap: anywhere; }
.about + .about { opacity: .7; }
.find { display: flex; flex-wrap: wrap; gap: .5rem 1rem; margin: 0 0 1rem; }
.find { align-items: center; background: Canvas; padding: .5rem 0; position: sticky; top: 0; }
.find [type=search] { flex: 1 1 16rem; font: inherit; padding: .35rem .6rem; }
.counts { border-collapse: collapse; margin: 0 0 1.5rem; width: auto; }
details { border: 1px solid var(--line); border-radius: 6px; margin: 0 0 1rem; }
summary { cursor: pointer; font-weight: 600; padding: .5rem .75rem; overflow-wrap: anywhere; }
summary span, summary small { font-weight: 400; opacity: .7; }
summary small { margin-left: .75rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
.scroll table { min-width: 45rem; table-layout: fixed; }
th, td { border-top: 1px solid var(--line); padding: .35rem .75rem; text-align: left; }
td { vertical-align: top; }
th.class, th.status { width: 7.5rem; }
th.much { width: 11rem; }
th.place { width: 11rem; }
th.picture { width: 160px; }
th[data-by] { cursor: pointer; user-select: none; white-space: nowrap; }
th[aria-sort=ascending]::after { content: " \\25b2"; }
th[aria-sort=descending]::after { content: " \\25bc"; }
tbody tr:hover { background: var(--quiet); }
td { overflow-wrap: anywhere; }
.number { font-variant-numeric: tabular-nums; text-align: right; }
td small { display: block; opacity: .7; }
td i { border-radius: 2px; float: left; height: .7em; margin: .4em .4em 0 0; width: .7em; }
i.side0 { background: #3d7dca; }
i.side1 { background: #e8853d; }
img { border-radius: 4px; cursor: zoom-in; display: block; max-height: 90px; max-width: 160px; }
img:focus { cursor: zoom-out; max-height: 80vh; max-width: 60vw; }
.ignored, .resolved { opacity: .55; }
@media print { details { break-inside: avoid; } .find { display: none; } }
"""
# The filter above the list.
FILTER = """<p class="find"><input type="search" id="words" aria-label="Filter"
 placeholder="Filter by class, name, collection or status">
<label><input type="checkbox" id="open"> Open only</label> <output></output></p>
"""
# Sorting is stable; a second click reverses the order. A row is shown if its texts, together with
# the heading of its group, contain all words of the filter.
SCRIPT = """
for (const head of document.querySelectorAll("th[data-by]")) {
  head.tabIndex = 0;
  const sort = () => {
    const up = head.getAttribute("aria-sort") !== "ascending";
    for (const each of head.parentNode.children) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const body = head.closest("table").tBodies[0], place = head.cellIndex;
    const key = row => row.cells[place].dataset.value ?? row.cells[place].textContent;
    const compare = head.dataset.by === "number"
      ? (a, b) => key(a) - key(b)
      : (a, b) => key(a).localeCompare(key(b), undefined, {numeric: true});
    body.append(...[...body.rows].sort((a, b) => up ? compare(a, b) : compare(b, a)));
  };
  head.addEventListener("click", sort);
  head.addEventListener("keydown", event => { if (event.key === "Enter") sort(); });
}
const words = document.querySelector("#words"), open = document.querySelector("#open");
const filter = () => {
  const wanted = words.value.toLowerCase().split(" ");
  let all = 0;
  for (const group of document.querySelectorAll("details")) {
    const heading = group.querySelector("summary").firstChild.textContent;
    let count = 0;
    for (const row of group.querySelector("tbody").rows) {
      const cells = [heading, ...[...row.cells].map(cell => cell.textContent)];
      const text = cells.join(" ").toLowerCase();
      row.hidden = open.checked && row.matches(".ignored, .resolved")
        || !wanted.every(word => text.includes(word));
      count += !row.hidden;
    }
    group.hidden = !count;
    group.querySelector("summary span").textContent = count.toLocaleString("en");
    all += count;
  }
  document.querySelector("output").textContent = `${all.toLocaleString("en")} shown`;
};
for (const each of [words, open]) if (each) each.addEventListener("input", filter);
"""


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


POLICY = (
    f"default-src 'none'; img-src data:; style-src {_hash(STYLE)}; script-src {_hash(SCRIPT)};"
    " base-uri 'none'; form-action 'none'"
)


def page(title: str, body: str) -> str:
    """Return the complete page; `title` is plain text, `body` is HTML."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}"
        f"<script>{SCRIPT}</script>\n</body>\n</html>\n"
    )
