/**
 * The chart that draw_chart draws: Chart.js, loaded with the first chart.
 * @module
 */

let drawn: { destroy(): void } | undefined

export async function drawChart(
  canvas: HTMLCanvasElement,
  title: string,
  labels: string[],
  values: number[],
): Promise<void> {
  const { BarController, BarElement, CategoryScale, Chart, LinearScale, Title, Tooltip } =
    await import('chart.js')
  Chart.register(BarController, BarElement, CategoryScale, LinearScale, Title, Tooltip)
  drawn?.destroy()
  const style = getComputedStyle(document.documentElement)
  const color = style.getPropertyValue('--text').trim()
  const grid = style.getPropertyValue('--line').trim()
  canvas.setAttribute(
    'aria-label',
    `${title}: ${labels.map((label, i) => `${label} ${values[i]}`).join(', ')}`,
  )
  drawn = new Chart(canvas, {
    type: 'bar',
    data: {
      labels,
      datasets: [
        {
          data: values,
          backgroundColor: style.getPropertyValue('--accent').trim(),
          borderRadius: 4,
        },
      ],
    },
    options: {
      maintainAspectRatio: false,
      plugins: { title: { display: true, text: title, color } },
      scales: {
        x: { ticks: { color }, grid: { display: false } },
        y: { ticks: { color }, grid: { color: grid } },
      },
    },
  })
}
