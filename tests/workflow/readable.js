// what a reader with other eyes, or none, would miss: headings in order, names of controls, contrast of text
() => {
  const wrong = [];
  const report = (what, node) => wrong.push(`${what}: ${node.outerHTML.slice(0, 120)}`);

  let before = 0;
  for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
    if (!heading.checkVisibility()) continue;
    const level = Number(heading.tagName[1]);
    if (level > before + 1) report(`a heading after one of level ${before}`, heading);
    before = level;
  }

  for (const control of document.querySelectorAll("button, a, input, select, summary, img, [role=img], [role=region]")) {
    const label = control.labels?.[0] ?? control;
    const pictures = [...label.querySelectorAll("[aria-label], [alt]")].map((each) => each.ariaLabel ?? each.alt);
    const names = [control.ariaLabel, control.alt, control.title, label.textContent, ...pictures];
    if (!names.some((text) => text?.trim())) report("no name", control);
  }

  const numbers = (text) => text.match(/[\d.]+/g).map(Number);
  const linear = (value) => (value <= 10 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  const isClear = (node) => numbers(getComputedStyle(node).backgroundColor)[3] === 0;
  const isText = (node) => [...node.childNodes].some((each) => each.nodeType === Node.TEXT_NODE && each.data.trim());
  for (const node of document.querySelectorAll("body :not(svg *, .half *, .half, script, noscript, option)")) {
    if (!isText(node) || !node.checkVisibility()) continue;
    let behind = node;
    while (behind.parentElement && isClear(behind)) behind = behind.parentElement;
    const colors = [getComputedStyle(node).color, getComputedStyle(behind).backgroundColor];
    const [dark, bright] = colors.map((text) => light(numbers(text))).sort((a, b) => a - b);
    const contrast = (bright + 0.05) / (dark + 0.05);
    if (contrast < 4.5) report(`contrast ${contrast.toFixed(2)}`, node);
  }
  return wrong;
}
