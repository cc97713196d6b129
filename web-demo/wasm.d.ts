/** What Vite makes of a file that is asked for by its address: https://vite.dev/guide/assets */
declare module '*?url' {
  const url: string
  export default url
}
