// the reader's choices are kept in the page's address, so that it can be shared: #colors?direction=H->R&source=blue

function address() {
  const [task, chosen] = location.hash.slice(1).split("?");
  return { task: decodeURIComponent(task), ...Object.fromEntries(new URLSearchParams(chosen ?? "")) };
}

function remember(task, values) {
  try {
    history.replaceState(null, "", `#${encodeURIComponent(task)}?${new URLSearchParams(values)}`);
  } catch {
    // some browsers refuse this for files; only the address is lost
  }
}

const shares = () => location.hash.includes("?");
addEventListener("hashchange", () => shares() && location.reload());
