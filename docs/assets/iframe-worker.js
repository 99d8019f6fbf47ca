/* Search from disk: browsers start no worker for a page that was opened as a file, so a hidden frame does its work. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      const inside = frame.contentWindow
      const load = (source) =>
        new Promise((loaded, failed) => {
          const script = inside.document.createElement("script")
          script.src = source
          script.onload = loaded
          script.onerror = () => failed(new Error(`${source} cannot be loaded`))
          inside.document.head.append(script)
        })
      inside.importScripts = (...sources) => sources.reduce((before, each) => before.then(() => load(each)), Promise.resolve())
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }))
      this.frame = frame
      this.ready = load(new URL(url, location.href).href)
    }

    postMessage(data) {
      const inside = this.frame.contentWindow
      this.ready.then(() => inside.dispatchEvent(new inside.MessageEvent("message", { data })))
    }

    terminate() {
      this.frame.remove()
    }
  }
}
