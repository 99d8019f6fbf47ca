// light or dark: the system's setting until the reader chooses

const onTheme = [];
const system = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (document.documentElement.style.colorScheme || (system.matches ? "dark" : "light")) === "dark";

const probe = document.body.appendChild(make("span", { hidden: true }));
function color(name) {
  probe.style.color = `var(--${name})`;
  return getComputedStyle(probe).color;
}

const themeButton = document.getElementById("theme");
function nameTheme() {
  themeButton.textContent = isDark() ? "Light theme" : "Dark theme";
}
function themeChanged() {
  nameTheme();
  onTheme.forEach((react) => react());
}
themeButton.addEventListener("click", () => {
  document.documentElement.style.colorScheme = isDark() ? "light" : "dark";
  themeChanged();
});
system.addEventListener("change", themeChanged);
nameTheme();
