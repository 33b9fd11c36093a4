// Attack strings for messages. Every script sets `__hacked`, and every URL belongs to a forbidden host.

const SCRIPT = "window.__hacked=1";
const EVIL_ORIGIN = "https://evil.example";

/** HTML tags that execute, load, navigate or submit. */
export const HOSTILE_TAGS: readonly string[] = [
  `<script>${SCRIPT}</script>`,
  `<SCRIPT SRC=${EVIL_ORIGIN}/a.js></SCRIPT>`,
  `<scr<script>ipt>${SCRIPT}</scr</script>ipt>`,
  `<img src=x onerror=${SCRIPT}>`,
  `<img src="${EVIL_ORIGIN}/beacon.gif">`,
  `<img srcset="${EVIL_ORIGIN}/a.png 1x" src="data:image/png;base64,x" onload="${SCRIPT}">`,
  `<svg onload="${SCRIPT}"><script>${SCRIPT}</script></svg>`,
  `<svg><foreignObject><body onload="${SCRIPT}"></foreignObject></svg>`,
  `<svg><use href="data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'><script>${SCRIPT}</script></svg>#x"></svg>`,
  `<svg><animate onbegin="${SCRIPT}" attributeName=x dur=1s></svg>`,
  `<svg><a xlink:href="javascript:${SCRIPT}"><text y=20>x</text></a></svg>`,
  `<math><maction actiontype="statusline#http://x" xlink:href="javascript:${SCRIPT}">x</maction></math>`,
  `<iframe srcdoc="<script>parent.__hacked=1</script>"></iframe>`,
  `<iframe src="javascript:parent.__hacked=1"></iframe>`,
  `<object data="${EVIL_ORIGIN}/a.swf"></object><embed src="${EVIL_ORIGIN}/b">`,
  `<base href="${EVIL_ORIGIN}/">`,
  `<meta http-equiv="refresh" content="0;url=${EVIL_ORIGIN}/moved">`,
  `<link rel=stylesheet href="${EVIL_ORIGIN}/a.css"><link rel=prefetch href="${EVIL_ORIGIN}/p"><link rel=dns-prefetch href="//evil.example">`,
  `<style>@import url(${EVIL_ORIGIN}/b.css); body{background:url(${EVIL_ORIGIN}/c.png)}</style>`,
  `<div style="background:url(${EVIL_ORIGIN}/d.png)" onmouseover="${SCRIPT}">over</div>`,
  `<form action="${EVIL_ORIGIN}/f" id=f><input name=a value=b><button form=f formaction="javascript:${SCRIPT}">go</button></form>`,
  `<a href="${EVIL_ORIGIN}/ping" ping="${EVIL_ORIGIN}/pinged">ping</a>`,
  `<details open ontoggle="${SCRIPT}"><summary>s</summary></details>`,
  `<video><source onerror="${SCRIPT}" src="${EVIL_ORIGIN}/v"></video><audio src="${EVIL_ORIGIN}/a" autoplay>`,
  `<input autofocus onfocus="${SCRIPT}"><body onload="${SCRIPT}"><marquee onstart="${SCRIPT}">x</marquee>`,
  `<template><script>${SCRIPT}</script></template><noscript><p title="</noscript><img src=x onerror=${SCRIPT}>">`,
  `<!-- a comment <script>${SCRIPT}</script> -->`,
  `<![CDATA[<script>${SCRIPT}</script>]]>`,
  `<?xml-stylesheet href="${EVIL_ORIGIN}/x.xsl"?>`,
  `<portal src="${EVIL_ORIGIN}"></portal><frameset onload="${SCRIPT}">`,
  // Mutation XSS: HTML that changes when it is serialized and parsed again.
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${SCRIPT}&gt;">`,
  `<svg></p><style><a id="</style><img src=1 onerror=${SCRIPT}>">`,
  `<form><math><mtext></form><form><mglyph><style></math><img src onerror=${SCRIPT}></style></mglyph></form>`,
  `<noembed><img title="</noembed><img src onerror=${SCRIPT}>"></noembed>`,
  `<x/onclick=${SCRIPT}>click</x><a\u00A0href="javascript:${SCRIPT}">x</a>`,
  `"><img src=x onerror=${SCRIPT}>`,
  `'-${SCRIPT}-'`,
  "${window.__hacked=1}{{constructor.constructor('window.__hacked=1')()}}",
];

/** URLs that execute something or imitate others. */
export const HOSTILE_URLS: readonly string[] = [
  `javascript:${SCRIPT}`,
  `JaVaScRiPt:${SCRIPT}`,
  `java\tscript:${SCRIPT}`,
  `&#106;&#97;&#118;&#97;&#115;&#99;&#114;&#105;&#112;&#116;:${SCRIPT}`,
  `javascript&colon;${SCRIPT}`,
  `&Tab;javascript:${SCRIPT}`,
  `\u0001javascript:${SCRIPT}`,
  `javascript://evil.example/%0a${SCRIPT}`,
  `data:text/html,<script>parent.__hacked=1</script>`,
  `data:text/html;base64,PHNjcmlwdD5wYXJlbnQuX19oYWNrZWQ9MTwvc2NyaXB0Pg==`,
  `data:image/svg+xml,<svg onload="window.__hacked=1" xmlns="http://www.w3.org/2000/svg"></svg>`,
  `vbscript:msgbox(1)`,
  `file:///etc/passwd`,
  `blob:${EVIL_ORIGIN}/1`,
  `//evil.example/relative`,
  `/v1/threads`,
  `${EVIL_ORIGIN}/\u202Egnp.exe`,
  `https://g\u043Eogle.example/\u200B`,
  `https://good.example@evil.example/`,
];

/** An SVG that would run scripts and load resources as a document. */
export const HOSTILE_SVG = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="40" height="40" onload="parent.__hacked=1">
<script>parent.__hacked=1</script><image href="${EVIL_ORIGIN}/svg.png"/><use href="${EVIL_ORIGIN}/a.svg#x"/>
<foreignObject width="40" height="40"><iframe xmlns="http://www.w3.org/1999/xhtml" src="${EVIL_ORIGIN}/frame"/></foreignObject>
<style>@import url(${EVIL_ORIGIN}/svg.css);</style><rect width="40" height="40" fill="teal"/></svg>`;

/** Returns every Markdown form of a link or image with this URL. */
export function createLinks(address: string, name: string): string {
  return [
    `[${name}](${address})`,
    `[${name} in brackets](<${address}>)`,
    `![${name} picture](${address})`,
    `<${address}>`,
    `[${name} by name][${name}]`,
    ``,
    `[${name}]: ${address} "a title"`,
    `[![inner](${address})](${address})`,
  ].join("\n");
}

/** Markdown that is expensive to parse or nests deeply. */
export const EXPENSIVE_TEXTS: readonly string[] = [
  "> ".repeat(100_000),
  "- ".repeat(100_000),
  "[".repeat(100_000),
  `${"[".repeat(5000)}a${"](b)".repeat(5000)}`,
  `${"*a **b ".repeat(5000)}${" c** d*".repeat(5000)}`,
  `${"|a".repeat(20_000)}|\n${"|-".repeat(20_000)}|\n|b|`,
  `|a|b|c|\n|-|-|-|\n${"|x|y|z|\n".repeat(10_000)}`,
  `\`\`\`xml\n${"<script>".repeat(500)}\n\`\`\``,
];

/** A name with HTML and a direction override. */
export const HOSTILE_NAME = `"><img src=x onerror=${SCRIPT}>\u202Egnp.exe`;
