/** What wrangler makes of a WebAssembly file: https://developers.cloudflare.com/workers/wrangler/bundling/ */
declare module '*.wasm' {
  const module: WebAssembly.Module
  export default module
}
